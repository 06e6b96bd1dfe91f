#pragma once

// Eigen's decompositions of the two dense matrix types and the kernels of its products, compiled once in
// eigen_instances.cpp: each costs seconds in every file that would compile its own. Only functions that Eigen
// defines outside their class are here; the compiler takes the others for inline.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <cstdint>

namespace Eigen {

using RowMajorXd = Matrix<double, Dynamic, Dynamic, RowMajor>;

extern template BDCSVD<MatrixXd>& BDCSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
extern template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
extern template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
extern template void HouseholderQR<MatrixXd>::computeInPlace();
extern template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
extern template void PartialPivLU<MatrixXd>::compute();
extern template void PartialPivLU<RowMajorXd>::compute();

namespace internal {

using Gebp = gebp_traits<double, double>;
using Target = blas_data_mapper<double, Index, ColMajor>;
using Columns = const_blas_data_mapper<double, Index, ColMajor>;
using Rows = const_blas_data_mapper<double, Index, RowMajor>;
using SparseRows = SparseMatrix<double, RowMajor, std::int32_t>;

extern template struct gebp_kernel<double, double, Index, Target, Gebp::mr, Gebp::nr>;
extern template struct gemm_pack_lhs<double, Index, Columns, Gebp::mr, Gebp::LhsProgress,
                                     Gebp::LhsPacket4Packing, ColMajor>;
extern template struct gemm_pack_lhs<double, Index, Rows, Gebp::mr, Gebp::LhsProgress,
                                     Gebp::LhsPacket4Packing, RowMajor>;
extern template struct gemm_pack_rhs<double, Index, Columns, Gebp::nr, ColMajor>;
extern template struct gemm_pack_rhs<double, Index, Rows, Gebp::nr, RowMajor>;
extern template struct general_matrix_vector_product<Index, double, Columns, ColMajor, false,
                                                     double, Columns, false>;
extern template struct general_matrix_vector_product<Index, double, Columns, ColMajor, false,
                                                     double, Rows, false>;
extern template struct general_matrix_vector_product<Index, double, Rows, RowMajor, false, double,
                                                     Columns, false>;
extern template struct general_matrix_vector_product<Index, double, Rows, RowMajor, false, double,
                                                     Rows, false, BuiltIn>;
extern template void evaluateProductBlockingSizesHeuristic<double, double, 1, Index>(Index&, Index&,
                                                                                     Index&, Index);
extern template void evaluateProductBlockingSizesHeuristic<double, double, 4, Index>(Index&, Index&,
                                                                                     Index&, Index);
extern template void assign_sparse_to_sparse(SparseRows&, const SparseRows&);

}  // namespace internal
}  // namespace Eigen
