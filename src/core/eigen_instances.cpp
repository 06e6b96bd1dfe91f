#include "speder/core/eigen_instances.hpp"

namespace Eigen {

template BDCSVD<MatrixXd>& BDCSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
template void HouseholderQR<MatrixXd>::computeInPlace();
template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
template void PartialPivLU<MatrixXd>::compute();
template void PartialPivLU<RowMajorXd>::compute();

namespace internal {

template struct gebp_kernel<double, double, Index, Target, Gebp::mr, Gebp::nr>;
template struct gemm_pack_lhs<double, Index, Columns, Gebp::mr, Gebp::LhsProgress,
                              Gebp::LhsPacket4Packing, ColMajor>;
template struct gemm_pack_lhs<double, Index, Rows, Gebp::mr, Gebp::LhsProgress,
                              Gebp::LhsPacket4Packing, RowMajor>;
template struct gemm_pack_rhs<double, Index, Columns, Gebp::nr, ColMajor>;
template struct gemm_pack_rhs<double, Index, Rows, Gebp::nr, RowMajor>;
template struct general_matrix_vector_product<Index, double, Columns, ColMajor, false, double,
                                              Columns, false>;
template struct general_matrix_vector_product<Index, double, Columns, ColMajor, false, double, Rows,
                                              false>;
template struct general_matrix_vector_product<Index, double, Rows, RowMajor, false, double, Columns,
                                              false>;
template struct general_matrix_vector_product<Index, double, Rows, RowMajor, false, double, Rows,
                                              false, BuiltIn>;
template void evaluateProductBlockingSizesHeuristic<double, double, 1, Index>(Index&, Index&,
                                                                              Index&, Index);
template void evaluateProductBlockingSizesHeuristic<double, double, 4, Index>(Index&, Index&,
                                                                              Index&, Index);
template void assign_sparse_to_sparse(SparseRows&, const SparseRows&);

}  // namespace internal
}  // namespace Eigen
